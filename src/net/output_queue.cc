#include "net/output_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace apogee {
namespace {

// A sent prefix longer than this is cut off once it is the larger half.
constexpr std::size_t kSentPrefixMax = 64 * 1024;
// Text memory above this goes back to the allocator instead of being kept for the next burst.
constexpr std::size_t kSpareBytesMax = 1024 * 1024;

iovec Vector(std::string_view bytes) {
  // writev's vectors are not const, though it only reads.
  return {const_cast<char*>(bytes.data()), bytes.size()};
}

}  // namespace

void OutputQueue::AddPinned(std::string_view bytes, std::shared_ptr<const void> pin) {
  if (bytes.empty()) return;
  if (pieces_ == nullptr) pieces_ = std::make_unique<std::deque<Piece>>();
  pieces_->push_back({text_.size(), bytes, std::move(pin)});
  piece_bytes_ += bytes.size();
}

std::size_t OutputQueue::Gather(std::span<iovec> into) const {
  std::size_t filled = 0;
  std::size_t at = text_sent_;
  const auto add_text = [&](std::size_t end) {
    if (end > at && filled < into.size()) {
      into[filled++] = Vector(std::string_view(text_).substr(at, end - at));
    }
    at = end;
  };
  if (piece_bytes_ != 0) {
    for (const Piece& piece : *pieces_) {
      add_text(piece.at);
      if (filled == into.size()) return filled;
      into[filled++] = Vector(piece.bytes);
    }
  }
  add_text(text_.size());
  return filled;
}

void OutputQueue::Consume(std::size_t count) {
  while (count > 0) {
    const bool has_piece = piece_bytes_ != 0;
    const std::size_t text_end = has_piece ? pieces_->front().at : text_.size();
    const std::size_t from_text = std::min(count, text_end - text_sent_);
    text_sent_ += from_text;
    count -= from_text;
    if (count == 0) break;
    AP_CHECK(has_piece);
    Piece& piece = pieces_->front();
    const std::size_t from_piece = std::min(count, piece.bytes.size());
    piece.bytes.remove_prefix(from_piece);
    piece_bytes_ -= from_piece;
    count -= from_piece;
    if (piece.bytes.empty()) pieces_->pop_front();
  }
  if (empty()) {
    text_.clear();
    text_sent_ = 0;
    pieces_.reset();
  } else if (text_sent_ > kSentPrefixMax && text_sent_ > text_.size() / 2) {
    text_.erase(0, text_sent_);
    if (pieces_ != nullptr) {
      for (Piece& piece : *pieces_) piece.at -= text_sent_;
    }
    text_sent_ = 0;
  }
}

void OutputQueue::Clear() {
  text_ = std::string();
  text_sent_ = 0;
  pieces_.reset();
  piece_bytes_ = 0;
}

void OutputQueue::GiveMemoryTo(std::string* spare) {
  AP_CHECK(empty());
  if (text_.capacity() > spare->capacity() && text_.capacity() <= kSpareBytesMax) {
    std::swap(text_, *spare);
  }
  if (text_.capacity() > std::string().capacity()) text_ = std::string();
}

void OutputQueue::TakeMemoryFrom(std::string* spare) {
  if (text_.empty() && text_.capacity() < spare->capacity()) std::swap(text_, *spare);
}

}  // namespace apogee
