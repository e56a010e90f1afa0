import RallyWire

/// Too many requests under `/rest/v1`: 429 with `Retry-After`.
package struct RateRefusal: Error, Hashable, Sendable {
  /// Seconds until the next request is accepted.
  package var delay: Int

  package init(delay: Int) {
    self.delay = delay
  }

  package var failure: FunctionFailure {
    FunctionFailure(
      code: FunctionFailure.rateLimited, message: "Request rate limit reached",
      details: "Try again in \(delay) s.")
  }
}
