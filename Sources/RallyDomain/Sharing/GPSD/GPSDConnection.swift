import Glibc
import NIOCore
import NIOPosix
import RallyClient
import RallySystem
import RallyWire

extension LocationSource {
  /// gpsd, over its JSON protocol.
  ///
  /// Connects when it is read, and again whenever the connection is lost: after 1 s, then after
  /// twice as long each time, up to 30 s. While nothing has answered yet it is up to 5 minutes,
  /// since most machines have no gpsd and an idle program should not wake up.
  public static func gpsd(at address: GPSDAddress) -> LocationSource {
    LocationSource(name: GPSDSession.name, lifetime: .seconds(150)) { pace in
      let (events, continuation) = AsyncStream.makeStream(
        of: LocationEvent.self, bufferingPolicy: .bufferingNewest(64))
      let task = Task {
        await GPSDConnection(address: address, pace: pace, events: continuation).run()
      }
      continuation.onTermination = { _ in task.cancel() }
      return events
    }
  }
}

/// Connects to gpsd and carries out what its session says.
struct GPSDConnection: Sendable {
  private enum Input {
    case line([UInt8])
    /// The watchdog's time is over.
    case woke
  }

  let address: GPSDAddress
  let pace: LocationPace
  let events: AsyncStream<LocationEvent>.Continuation

  /// Runs until the task is cancelled.
  func run() async {
    events.yield(.state(.searching("connecting to \(address)")))
    var backoff = ReconnectionBackoff()
    while !Task.isCancelled {
      let (end, isGreeted) = await converse()
      if Task.isCancelled { return }
      if isGreeted { backoff.greeted() }
      events.yield(.state(.unavailable(end)))
      let pause = backoff.next()
      guard (try? await DispatchSleep.for(pause, tolerance: pause / 4)) != nil else { return }
    }
  }

  /// Talks to gpsd until the connection ends.
  ///
  /// - Returns: Why it ended, and whether gpsd had greeted.
  private func converse() async -> (end: String, isGreeted: Bool) {
    // Each line stands for itself, so that old ones may be lost if gpsd floods.
    let (inputs, feed) = AsyncStream.makeStream(
      of: Input.self, bufferingPolicy: .bufferingNewest(32))
    let opening = OpeningChannel()
    let channel: any Channel
    do {
      channel = try await opening.wait { try await connect(opening, feed) }
    } catch {
      return ("nothing answers at \(address)", false)
    }
    defer { channel.close(promise: nil) }
    var session = GPSDSession(pace: pace)
    let watchdog = Watchdog { feed.yield(.woke) }
    defer { watchdog.cancel() }
    func carryOut(_ actions: [GPSDSession.Action]) {
      for action in actions {
        switch action {
        case .report(let event): events.yield(event)
        case .send(let command):
          channel.writeAndFlush(ByteBuffer(string: command + "\n"), promise: nil)
        case .wake(let time, let tolerance): watchdog.set(after: time, tolerance: tolerance)
        }
      }
    }
    carryOut(session.connected())
    for await input in inputs {
      switch input {
      case .line(let line): carryOut(session.receive(line, at: .now))
      // A line that came meanwhile may have set a new time.
      case .woke: if !watchdog.isSet { carryOut(session.woke()) }
      }
    }
    return ("gpsd closed the connection", session.isGreeted)
  }

  private func connect(
    _ opening: OpeningChannel, _ feed: AsyncStream<Input>.Continuation
  ) async throws -> any Channel {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.seconds(5))
      // The kernel notices a peer that vanished, without waking this process.
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
      .channelInitializer { channel in
        opening.add(channel)
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            LineReader(take: { feed.yield(.line($0)) }, end: { feed.finish() }))
        }
      }
    // The resolver works on a global queue, which then wakes the process every second.
    let host = address.host == "localhost" ? "127.0.0.1" : address.host
    if let literal = try? SocketAddress(ipAddress: host, port: address.port) {
      return try await bootstrap.connect(to: literal).get()
    }
    return try await bootstrap.connect(host: host, port: address.port).get()
  }
}

/// Hands over the lines that arrive on a channel.
private final class LineReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var splitter = LineSplitter()
  private let take: ([UInt8]) -> Void
  private let end: () -> Void

  init(take: @escaping ([UInt8]) -> Void, end: @escaping () -> Void) {
    self.take = take
    self.end = end
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    splitter.add(unwrapInboundIn(data).readableBytesView, take: take)
  }

  func channelInactive(context: ChannelHandlerContext) { end() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// How long to wait before the next attempt to connect.
struct ReconnectionBackoff {
  private static let longest = Duration.seconds(30)
  private static let longestUnseen = Duration.seconds(300)

  private var pause = Duration.seconds(1)
  private var hasGreeted = false

  /// The peer has answered: the next loss begins with 1 s again.
  mutating func greeted() {
    pause = .seconds(1)
    hasGreeted = true
  }

  /// 1 s, then twice as long each time.
  mutating func next() -> Duration {
    defer { pause = min(pause * 2, hasGreeted ? Self.longest : Self.longestUnseen) }
    return pause
  }
}

/// Where gpsd listens.
public struct GPSDAddress: Hashable, Sendable, CustomStringConvertible {
  /// Where gpsd listens by default.
  public static let standard = GPSDAddress(host: "127.0.0.1", port: 2947)

  /// A name or an address; an IPv6 address without brackets.
  public let host: String
  public let port: Int

  private init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:2947`, `[::1]:2947` or a host name; without a port it is 2947.
  ///
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    var host = Substring(text)
    var port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":"), host.contains(":") else { return nil }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    let isName = host.utf8.allSatisfy {
      (97...122).contains($0 | 32) || (48...58).contains($0) || [45, 46].contains($0)
    }
    guard !host.isEmpty, host.utf8.count <= 253, isName else { return nil }
    if let port {
      guard let number = UInt16(port), number > 0, port.first != "+" else { return nil }
      self.port = Int(number)
    } else {
      self.port = Self.standard.port
    }
    self.host = String(host)
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Splits a stream of bytes into lines. Longer lines than the limit are left out.
struct LineSplitter {
  /// Bytes of a line, without its end.
  static let limit = 64 << 10

  private var line: [UInt8] = []
  private var isTooLong = false

  /// Takes the next bytes, and calls `take` for each line that they complete, without `\r\n`.
  mutating func add(_ bytes: some Sequence<UInt8>, take: ([UInt8]) -> Void) {
    for byte in bytes {
      guard byte != UInt8(ascii: "\n") else {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if !isTooLong, !line.isEmpty { take(line) }
        line.removeAll(keepingCapacity: line.capacity <= 4096)
        isTooLong = false
        continue
      }
      if line.count < Self.limit { line.append(byte) } else { isTooLong = true }
    }
  }
}
