// The answer to a pull: header fields, and the records as they stand in the log.
#pragma once

#include "broker/pull_request.h"
#include "remoting/server.h"

namespace apogee {

// Small records are copied into the body, larger ones leave from where they are, pinned.
Reply PullReply(PullOutcome outcome);

}  // namespace apogee
