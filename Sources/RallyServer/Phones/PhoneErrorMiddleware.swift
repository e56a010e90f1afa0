import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// Refuses under `/phone/` with what an app acts on: 401 for nothing but a bad credential, 413, and
/// 429 or 503 with `Retry-After` for what passes.
struct PhoneErrorMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  /// Seconds after which a phone tries again when the server cannot store anything.
  private static let pause = 30

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch is PhoneInbox.Unknown {
      let isBasic = request.uri.path.hasPrefix(PhoneApp.owntracks.path)
      return try response(
        .unauthorized, "No phone has this credential. It may have been revoked.",
        [.wwwAuthenticate: isBasic ? "Basic realm=\"Rally\"" : "Bearer"])
    } catch let refusal as RateRefusal {
      return try response(
        .tooManyRequests, "This phone sends too much at once.",
        [.retryAfter: String(refusal.delay)])
    } catch is NIOTooManyBytesError {
      return try response(.contentTooLarge, "The request body is too large.")
    } catch let error as any HTTPResponseError {
      throw error
    } catch {
      context.logger.error("phone: \(error)")
      return try response(
        .serviceUnavailable,
        (error as? StorageFailure)?.refusal?.message
          ?? "Something went wrong here; nothing was stored.",
        [.retryAfter: String(PhoneErrorMiddleware.pause)])
    }
  }

  private func response(
    _ status: HTTPResponse.Status, _ sentence: String, _ headers: HTTPFields = [:]
  ) throws -> Response {
    // Overland shows what stands under `error`.
    try .json(["error": sentence], status: status, headers: headers)
  }
}
