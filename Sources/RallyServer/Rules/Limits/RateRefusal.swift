import RallyWire

/// Too many requests under `/rest/v1`: 429 with `Retry-After`.
struct RateRefusal: Error, Hashable, Sendable {
  /// Seconds until the next request is accepted.
  var delay: Int

  var failure: FunctionFailure {
    FunctionFailure(
      code: FunctionFailure.rateLimited, message: "Request rate limit reached",
      details: "Try again in \(delay) s.")
  }
}
