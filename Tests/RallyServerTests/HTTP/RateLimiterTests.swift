import RallyWire
import Testing

@testable import RallyServer

@Suite struct RateLimiterTests {
  private let start = WireTime(microseconds: 1_000_000_000)

  @Test func `an address may use its bucket and then waits for a refill`() {
    let limiter = RateLimiter(limits: RateLimits(signUps: 3, tokens: 30))
    for _ in 0..<3 { #expect(limiter.delay(.signUp, address: "a", at: start) == nil) }
    // Three in 300 s is one in 100 s.
    #expect(limiter.delay(.signUp, address: "a", at: start) == 100)
    let later = start.advanced(by: .seconds(99))
    #expect((1...2).contains(limiter.delay(.signUp, address: "a", at: later) ?? 0))
    #expect(limiter.delay(.signUp, address: "a", at: start.advanced(by: .seconds(101))) == nil)
  }

  @Test func `addresses and kinds have buckets of their own`() {
    let limiter = RateLimiter(limits: RateLimits(signUps: 1, tokens: 1))
    #expect(limiter.delay(.signUp, address: "a", at: start) == nil)
    #expect(limiter.delay(.token, address: "a", at: start) == nil)
    #expect(limiter.delay(.signUp, address: "b", at: start) == nil)
    #expect(limiter.delay(.signUp, address: "a", at: start) != nil)
  }

  @Test func `a Unix socket and a server without limits are not limited`() {
    let limited = RateLimiter(limits: RateLimits(signUps: 1, tokens: 1))
    let free = RateLimiter(limits: nil)
    for _ in 0..<5 {
      #expect(limited.delay(.signUp, address: nil, at: start) == nil)
      #expect(free.delay(.signUp, address: "a", at: start) == nil)
    }
  }
}
