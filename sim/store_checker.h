// Compares a store with the model, read by read. Every function gives what is wrong, empty for
// nothing.
#pragma once

#include <string>

#include "env/random.h"
#include "sim/model.h"
#include "store/message_store.h"

namespace apogee::sim {

// Everything: each queue has exactly its visible messages, dense, in order, each entry names the
// record of that topic, queue and offset, with the bytes that were sent.
std::string CheckAll(const MessageStore& store, const Model& model);

// A piece of one queue, as a consumer would pull it.
std::string CheckPull(const MessageStore& store, const Model& model, const QueueId& queue,
                      QueueOffset from, std::int32_t count);

// Log offsets: where records begin, and where none does.
std::string CheckReadAt(const MessageStore& store, const Model& model, Random& random);

// Both boundaries of a search by time; only right while the wall clock never went back.
std::string CheckTimes(const MessageStore& store, const Model& model, const QueueId& queue,
                       std::int64_t time_ms);

}  // namespace apogee::sim
