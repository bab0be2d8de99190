#include <sys/random.h>

#include "base/check.h"
#include "env/random.h"

namespace apogee {
namespace {

// Each thread draws from the kernel in blocks: one system call for 32 numbers.
class KernelRandom final : public Random {
 public:
  std::uint64_t Next() override {
    struct Block {
      std::uint64_t numbers[32];
      std::size_t left = 0;
    };
    thread_local Block block;
    if (block.left == 0) {
      // Reads of up to 256 bytes are never cut short.
      AP_CHECK(getrandom(block.numbers, sizeof(block.numbers), 0) ==
               static_cast<ssize_t>(sizeof(block.numbers)));
      block.left = 32;
    }
    return block.numbers[--block.left];
  }
};

}  // namespace

Random& SystemRandom() {
  static Random& random = *new KernelRandom();
  return random;
}

}  // namespace apogee
