import Foundation
import NIOCore
import NIOPosix
import RallyWire

/// A real gpsd with a receiver that replays recorded NMEA sentences, in a loop.
public final class GPSDServer: Sendable {
  public let port: Int
  private let fake: RunningCommand
  /// Holds gpsd's control socket.
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - log: The path of the recording. Lines end in CR LF and carry checksums.
  ///   - port: nil for a free one.
  ///   - cycle: Seconds between two sentences.
  /// - Throws: `ProcessFailure` if gpsd is missing.
  public init(_ log: String, port: Int? = nil, cycle: Double = 0.03) async throws {
    folder = try TemporaryFolder()
    if let port { self.port = port } else { self.port = try await Self.freePort() }
    var environment = folder.environment
    environment["PATH", default: ""] += ":/usr/sbin:/sbin"
    environment["TMPDIR"] = folder.path
    // gpsfake goes on without a receiver where it meets gpsd's socket before gpsd listens on it.
    var (fake, attempts) = (try Self.start(log, self.port, cycle, environment), 1)
    while attempts < 5, !(await Self.says("/dev/pts", at: self.port, within: .seconds(20))) {
      try await Self.end(fake)
      (fake, attempts) = (try Self.start(log, self.port, cycle, environment), attempts + 1)
    }
    self.fake = fake
    guard await Self.says("\"TPV\"", at: self.port, within: PtySession.patience) else {
      throw ProcessFailure("gpsd is silent: \(fake.snapshot)")
    }
  }

  private static func start(
    _ log: String, _ port: Int, _ cycle: Double, _ environment: [String: String]
  ) throws -> RunningCommand {
    do {
      return try RunningCommand(
        "gpsfake", ["-q", "-c", "\(cycle)", "-P", "\(port)", log], environment: environment)
    } catch {
      throw ProcessFailure(
        "There is no gpsfake (\(error)): install gpsd and gpsd-clients, as "
          + "Scripts/install-dependencies --tests does.")
    }
  }

  /// Whether a gpsd reports this to a client that watches it.
  private static func says(
    _ word: String, at port: Int, within patience: Duration
  ) async -> Bool {
    let said = Watched("")
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Ear(said))
        }
      }
    var channel: (any Channel)?
    let isListening = await eventually {
      channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get()
      return channel != nil
    }
    guard isListening, let channel else { return false }
    channel.writeAndFlush(
      ByteBuffer(string: "?WATCH={\"enable\":true,\"json\":true};\n"), promise: nil)
    let isReporting = await said.first(within: patience) { $0.contains(word) } != nil
    try? await channel.close()
    return isReporting
  }

  private final class Ear: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let said: Watched<String>

    init(_ said: Watched<String>) { self.said = said }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      said.change { $0 += text }
    }
  }

  /// Ends gpsd, which closes all connections. gpsfake must not be killed, since that leaves its
  /// gpsd behind.
  public func end() async throws { try await Self.end(fake) }

  private static func end(_ fake: RunningCommand) async throws {
    fake.signal(SIGTERM)
    _ = try await fake.waitForExit()
  }

  private static func freePort() async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = channel.localAddress?.port ?? 0
    try await channel.close()
    return port
  }
}

/// A TCP server that sends what a test gives it, line by line.
public final class ScriptedPeer: Sendable {
  private struct State: Sendable {
    var channels: [any Channel] = []
    var connections = 0
    var received = ""
    var lost = 0
  }

  private let channel: any Channel
  private let state: Watched<State>
  private let greeting: String

  public var port: Int { channel.localAddress?.port ?? 0 }
  /// Everything that clients sent.
  public var received: String { state.value.received }

  /// - Parameter greeting: Sent to each client that connects.
  @MainActor
  public static func with(
    greeting: String = "", _ body: @MainActor (ScriptedPeer) async throws -> Void
  ) async throws {
    let peer = try await ScriptedPeer(greeting)
    do {
      try await body(peer)
    } catch {
      await peer.end()
      throw error
    }
    await peer.end()
  }

  private init(_ greeting: String) async throws {
    let state = Watched(State())
    self.state = state
    self.greeting = greeting
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Listener(state, greeting))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// Waits until so many clients have connected; false if they never do.
  public func hasConnections(_ count: Int) async -> Bool {
    await state.first(within: PtySession.patience) { $0.connections >= count } != nil
  }

  /// Waits until all clients that ever connected are gone; false if they never are.
  public func hasNoClient() async -> Bool {
    await state.first(within: PtySession.patience) { $0.lost >= $0.connections } != nil
  }

  /// Waits until this text was received; false if it never is.
  public func hasReceived(_ text: String) async -> Bool {
    await state.first(within: PtySession.patience) { $0.received.contains(text) } != nil
  }

  /// Sends bytes to all clients.
  public func send(_ bytes: some Sequence<UInt8>) {
    for channel in state.value.channels {
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }
  }

  public func send(_ line: String) { send((line + "\r\n").utf8) }

  /// Closes the connections of all clients; new ones are accepted.
  public func hangUp() {
    let channels = state.change { state in
      defer { state.channels = [] }
      return state.channels
    }
    for channel in channels { channel.close(promise: nil) }
  }

  private func end() async {
    hangUp()
    try? await channel.close()
  }

  private final class Listener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let state: Watched<State>
    private let greeting: String

    init(_ state: Watched<State>, _ greeting: String) {
      self.state = state
      self.greeting = greeting
    }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      state.change {
        $0.channels.append(channel)
        $0.connections += 1
      }
      channel.writeAndFlush(ByteBuffer(string: greeting), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { state.change { $0.lost += 1 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      state.change { $0.received += text }
    }
  }
}

/// A recording of a receiver that is carried along a meridian to a place and then stays there, as
/// NMEA 0183 sentences: one RMC and one GGA a second.
public struct NMEAWalk {
  public let sentences: [String]

  /// - Parameters:
  ///   - place: Where the walk ends.
  ///   - metres: The length of the walk, from the south.
  ///   - speed: Metres a second.
  ///   - rest: Seconds at the place.
  public init(to place: Coordinate, metres: Double, speed: Double, rest: Int) {
    let steps = Int(metres / speed)
    sentences = (0..<steps + rest).flatMap { step -> [String] in
      let left = max(0, metres - Double(step) * speed)
      let latitude = place.latitude - left / Self.metresPerDegree
      let time = String(format: "12%02d%02d.00", step / 60 % 60, step % 60)
      let position =
        Self.angle(latitude, digits: 2, "NS") + "," + Self.angle(place.longitude, digits: 3, "EW")
      let knots = String(format: "%.1f", left > 0 ? speed * 1.943844 : 0)
      return [
        Self.sentence("GPRMC,\(time),A,\(position),\(knots),000.0,221126,,,A"),
        Self.sentence("GPGGA,\(time),\(position),1,08,0.9,12.0,M,46.9,M,,"),
      ]
    }
  }

  /// Writes the recording as gpsfake reads it.
  public func write(to path: String) throws {
    try Data(sentences.joined().utf8).write(to: URL(filePath: path))
  }

  /// Along a meridian of the sphere of 6,371 km.
  private static let metresPerDegree = 111_195.0

  /// Degrees and minutes, `ddmm.mmmmm`, and the half of the globe.
  private static func angle(_ degrees: Double, digits: Int, _ halves: String) -> String {
    let size = abs(degrees)
    let whole = Int(size)
    let half = degrees < 0 ? halves.last : halves.first
    return String(format: "%0\(digits)d%08.5f", whole, (size - Double(whole)) * 60)
      + ",\(half.map(String.init) ?? "")"
  }

  /// With the exclusive or of its bytes as checksum.
  private static func sentence(_ body: String) -> String {
    String(format: "$\(body)*%02X\r\n", body.utf8.reduce(0, ^))
  }
}
