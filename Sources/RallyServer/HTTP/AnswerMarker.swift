import NIOCore
import NIOHTTP1
import RallyRules
import RallyWire

/// Repeats each request's `Rally-Request` as `Rally-Answer` of the response to it.
///
/// It stands next to the decoder, so that every response with a known request is marked, also
/// those of the guard. A response of an upgrade is marked with `headers(for:)`.
final class AnswerMarker: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Of the requests without a response, in order; nil for one without a mark.
  private var marks = CircularBuffer<String?>()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { marks.append(AnswerMarker.mark(of: head)) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data),
      head.status.code >= 200 || head.status == .switchingProtocols, let mark = marks.popFirst(),
      let mark
    else { return context.write(data, promise: promise) }
    head.headers.replaceOrAdd(name: AnswerMark.answerHeader, value: mark)
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }

  /// The headers of a response to this request.
  static func headers(for head: HTTPRequestHead) -> HTTPHeaders {
    mark(of: head).map { [AnswerMark.answerHeader: $0] } ?? HTTPHeaders()
  }

  private static func mark(of head: HTTPRequestHead) -> String? {
    head.headers.first(name: AnswerMark.requestHeader).flatMap {
      AnswerMark.isValid($0) ? $0 : nil
    }
  }
}
