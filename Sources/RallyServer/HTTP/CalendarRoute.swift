import Foundation
import HTTPTypes
import Hummingbird
import Logging
import RallyRules
import RallyStorage
import RallyWire

/// `GET /calendar/SECRET.ics`: a person's missions for a calendar program, which knows the secret and
/// nothing else. What it gets is what the person would see.
struct CalendarRoute: Sendable {
  typealias Context = ServerRequestContext

  /// Seconds after which a calendar program tries again when the server cannot read.
  private static let pause = 30

  let storage: Storage
  let reads: ReadGate
  let limiter: RateLimiter
  var now: @Sendable () -> WireTime = { .now }

  func add(to router: Router<Context>) {
    router.get(RouterPath(CalendarAddressRecord.folder + "/:file"), use: read)
  }

  @Sendable private func read(_ request: Request, _ context: Context) async throws -> Response {
    let file = context.parameters.get("file") ?? ""
    let secret =
      file.hasSuffix(CalendarAddressRecord.ending)
      ? AccessSecret(file.dropLast(CalendarAddressRecord.ending.count)) : nil
    let digest = secret?.digest
    do {
      let owner = try await owner(digest)
      // A secret that nobody has counts for the network address alone.
      if let delay = try await limiter.delay(
        .calendar, address: context.clientAddress, account: owner == nil ? nil : digest)
      {
        throw RateRefusal(delay: delay)
      }
      guard let digest, let owner, let missions = try await missions(digest, of: owner) else {
        return try .json(["message": HTTPResponse.Status.notFound.reasonPhrase], status: .notFound)
      }
      return response(to: request, missions)
    } catch let refusal as RateRefusal {
      return try self.refusal(
        .tooManyRequests, "This is asked for too often.", after: refusal.delay)
    } catch {
      context.logger.error("calendar: \(error)")
      return try refusal(
        .serviceUnavailable, "Something went wrong here.", after: CalendarRoute.pause)
    }
  }

  /// nil for an unknown secret, a revoked one, and one of a disabled account alike.
  private func owner(_ digest: String?) async throws -> String? {
    guard let digest else { return nil }
    return try await storage.read {
      try CalendarAddressRecords.find(secretHash: digest, in: $0)?.owner
    }
  }

  private func missions(_ digest: String, of owner: String) async throws -> [MissionRecord]? {
    let time = now()
    return try await reads.read(for: owner, from: storage) { database in
      // It may have been revoked while others were read.
      guard try CalendarAddressRecords.find(secretHash: digest, in: database) != nil else {
        return nil
      }
      return try CalendarFunctions.missions(of: owner, at: time, in: database)
    }
  }

  private func response(to request: Request, _ missions: [MissionRecord]) -> Response {
    let time = now()
    let tag = CalendarRoute.tag(missions, at: time)
    // For the calendar program alone, which asks with `If-None-Match` before it shows it again.
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
    if CalendarRoute.matches(request.headers[.ifNoneMatch], tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = "text/calendar; charset=utf-8"
    headers[.contentDisposition] = "inline; filename=\"rally.ics\""
    let text = MissionCalendar(missions, now: time).text
    return Response(
      status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  /// Weak, since each file has its own DTSTAMP: RFC 9110 section 8.8.1. The time is that of the day,
  /// because offsets of time zones are written up to a moment after it.
  private static func tag(_ missions: [MissionRecord], at time: WireTime) -> String {
    let day = WireTime(microseconds: time.microseconds - time.microseconds % 86_400_000_000)
    let text = MissionCalendar(missions, now: day).text
    // The day alone changes nothing that is read.
    let lines = text.split(separator: "\r\n").filter { !$0.hasPrefix("DTSTAMP:") }
    let digest = Sodium.sha256(lines.joined(separator: "\n").utf8)
    return "W/\"\(Base64URL.encode(digest.prefix(18)))\""
  }

  /// The weak comparison of a list of tags: RFC 9110 section 13.1.2.
  static func matches(_ field: String?, _ tag: String) -> Bool {
    guard let field else { return false }
    func opaque(_ tag: some StringProtocol) -> String {
      let tag = tag.trimmingCharacters(in: .whitespaces)
      return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }
    return field.split(separator: ",").contains { opaque($0) == "*" || opaque($0) == opaque(tag) }
  }

  private func refusal(
    _ status: HTTPResponse.Status, _ sentence: String, after delay: Int
  ) throws -> Response {
    try .json(["message": sentence], status: status, headers: [.retryAfter: String(delay)])
  }
}
