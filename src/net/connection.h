// A TCP connection on one event loop.
//
// Threads: everything here runs on the connection's loop, but loop(), peer() and id().
// Lifetime: shared; the last holder may be anyone, the socket closes with Close() or an error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/event_loop.h"

namespace apogee {

class Connection;

class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  // `input`: all bytes received and not yet consumed. Returns how many were consumed; the rest is
  // offered again with what comes behind, and after ResumeReading. Many requests may stand in one
  // input: what is written meanwhile leaves in one write afterwards.
  virtual std::size_t OnBytes(Connection& connection, std::string_view input) = 0;
  // How many bytes in all the next OnBytes needs to get further (a frame's length); 0: any number.
  // Asked after each OnBytes. Only a guide: memory grows with what has arrived, not with this.
  virtual std::size_t BytesWanted() const { return 0; }
  // Output fell below the low-water mark after it had been above the high one.
  virtual void OnDrained(Connection& connection) = 0;
  // Closed by either side, once, never from within another call. No call follows, and the
  // connection lets go of the handler.
  virtual void OnClose(Connection& connection) = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;

  // Bytes appended here leave in order with what is queued by SendPinned, at the end of the running
  // OnBytes or OnDrained, or at Flush(). Append only: what stands before may be partly sent.
  virtual std::string& out() = 0;
  // Queues bytes that live elsewhere (mapped log) without copying; `pin` keeps them alive until
  // they have left.
  virtual void SendPinned(std::string_view bytes, std::shared_ptr<const void> pin) = 0;
  // Writes what is queued when the tasks that are due now have run, so that what several of them
  // queue leaves in one write. Needed outside of OnBytes and OnDrained only.
  virtual void Flush() = 0;
  // Bytes queued and not yet taken by the kernel.
  virtual std::size_t queued_bytes() const = 0;
  // When OnDrained is called. At first 1 MiB and 256 KiB.
  virtual void SetWaterMarks(std::size_t low, std::size_t high) = 0;

  // While paused nothing is read: the peer meets the kernel's buffers.
  virtual void PauseReading() = 0;
  virtual void ResumeReading() = 0;

  // kNow drops what is queued. kAfterFlush reads nothing more, writes what is queued, says so to
  // the peer and waits a moment for its end, so that the last bytes reach it; at most 5 s. OnClose
  // follows, posted.
  enum class CloseMode { kNow, kAfterFlush };
  virtual void Close(CloseMode mode) = 0;
  // True from the moment Close was called or the peer was found gone. What is queued then goes
  // nowhere.
  virtual bool closed() const = 0;

  virtual EventLoop& loop() = 0;
  // "127.0.0.1:40312", "[::1]:40312"
  virtual const std::string& peer() const = 0;
  virtual const std::string& local() const = 0;
  virtual std::uint64_t id() const = 0;

  // Closes by itself when nothing was read or written for this long (120 s for RocketMQ's servers).
  // 0 = never.
  virtual void SetIdleLimit(std::chrono::milliseconds limit) = 0;
};

}  // namespace apogee
