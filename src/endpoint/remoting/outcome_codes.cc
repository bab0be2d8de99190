#include "endpoint/remoting/outcome_codes.h"

#include "protocol/response_code.h"

namespace apogee {

std::int32_t ResponseCodeOf(SendStatus status) {
  switch (status) {
    case SendStatus::kOk:
      return ResponseCode::kSuccess;
    case SendStatus::kFlushTimeout:
      return ResponseCode::kFlushDiskTimeout;
    case SendStatus::kInvalid:
      return ResponseCode::kInvalidParameter;
    case SendStatus::kForbidden:
      return ResponseCode::kNoPermission;
    case SendStatus::kTopicMissing:
      return ResponseCode::kTopicNotExist;
    case SendStatus::kGroupMissing:
      return ResponseCode::kSubscriptionGroupNotExist;
    case SendStatus::kIllegalMessage:
      return ResponseCode::kMessageIllegal;
    case SendStatus::kUnavailable:
      return ResponseCode::kServiceNotAvailable;
    case SendStatus::kFailed:
      return ResponseCode::kSystemError;
  }
  return ResponseCode::kSystemError;
}

std::int32_t ResponseCodeOf(PullStatus status) {
  switch (status) {
    case PullStatus::kFound:
      return ResponseCode::kSuccess;
    case PullStatus::kNothingNew:
      return ResponseCode::kPullNotFound;
    case PullStatus::kRetryAtOnce:
      return ResponseCode::kPullRetryImmediately;
    case PullStatus::kOffsetMoved:
      return ResponseCode::kPullOffsetMoved;
    case PullStatus::kForbidden:
      return ResponseCode::kNoPermission;
    case PullStatus::kGroupMissing:
      return ResponseCode::kSubscriptionGroupNotExist;
    case PullStatus::kTopicMissing:
      return ResponseCode::kTopicNotExist;
    case PullStatus::kInvalid:
      return ResponseCode::kInvalidParameter;
    case PullStatus::kBadExpression:
      return ResponseCode::kSubscriptionParseFailed;
    case PullStatus::kNotSubscribed:
      return ResponseCode::kSubscriptionNotExist;
    case PullStatus::kBusy:
      return ResponseCode::kSystemBusy;
    case PullStatus::kUnsupported:
    case PullStatus::kFailed:
      return ResponseCode::kSystemError;
  }
  return ResponseCode::kSystemError;
}

std::int32_t ResponseCodeOf(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:
      return ResponseCode::kInvalidParameter;
    case ErrorCode::kPermissionDenied:
      return ResponseCode::kNoPermission;
    case ErrorCode::kDiskFull:
    case ErrorCode::kUnavailable:
      return ResponseCode::kServiceNotAvailable;
    case ErrorCode::kResourceExhausted:
      return ResponseCode::kSystemBusy;
    default:
      return ResponseCode::kSystemError;
  }
}

}  // namespace apogee
