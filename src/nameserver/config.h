// The name server's settings as operators read and change them while it runs: "key=value" lines
// under Apache's names.
//
// Threads: any, but Save, which blocks on the disk and runs one at a time.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "env/file_system.h"
#include "nameserver/options.h"

namespace apogee {

class NameServerConfig {
 public:
  // `fs` must outlive this.
  NameServerConfig(NameServerOptions options, FileSystem& fs)
      : fs_(fs), options_(std::move(options)) {}

  // Takes over what operators changed in an earlier life.
  Status Load();
  // Writes what they changed, and nothing else: the rest follows the start options.
  Status Save();

  // A copy: consistent in itself, constant for the caller.
  NameServerOptions Options() const;
  // All settings, sorted by key.
  std::string Text() const;
  // Applies the lines of `text`; unknown keys and unreadable lines are passed over. False, and
  // nothing is changed: a key of the black list is among them.
  bool Update(std::string_view text);
  // The real port, once it is known.
  void SetListenPort(std::uint16_t port);

 private:
  FileSystem& fs_;
  mutable Mutex mu_;
  NameServerOptions options_ AP_GUARDED_BY(mu_);
  std::set<std::string_view> changed_keys_ AP_GUARDED_BY(mu_);  // Literals.
  bool unsaved_ AP_GUARDED_BY(mu_) = false;
};

}  // namespace apogee
