// What a connection has still to write: text of its own with pinned pieces in between.
//
//   text_:  |--sent--|-------|------------|----|
//                            ^pieces_[0]  ^pieces_[1]      a piece leaves before text_[piece.at]
//
// Threads: one.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace apogee {

class OutputQueue {
 public:
  // Append only; the owner counts what was appended by bytes().
  std::string& text() { return text_; }
  void AddPinned(std::string_view bytes, std::shared_ptr<const void> pin);

  std::size_t bytes() const { return text_.size() - text_sent_ + piece_bytes_; }
  bool empty() const { return bytes() == 0; }

  // The front of the queue as vectors, in order; how many were filled. Valid until the next change.
  std::size_t Gather(std::span<iovec> into) const;
  // `count` bytes from the front have left; pins of pieces that have left are dropped.
  void Consume(std::size_t count);

  void Clear();
  // Hands the (empty) text's memory over to `spare` when that is smaller, so that an idle queue
  // holds none. The queue must be empty.
  void GiveMemoryTo(std::string* spare);
  // The reverse, before a burst of appends.
  void TakeMemoryFrom(std::string* spare);

 private:
  struct Piece {
    std::size_t at;  // Position in text_ before which it leaves.
    std::string_view bytes;
    std::shared_ptr<const void> pin;
  };

  std::string text_;
  std::size_t text_sent_ = 0;
  std::unique_ptr<std::deque<Piece>> pieces_;  // Made at first need: a deque is large when empty.
  std::size_t piece_bytes_ = 0;
};

}  // namespace apogee
