import Foundation
import NIOCore
import NIOPosix
import RallySystem
import RallyTestSupport
import RallyWire

/// A hidden mode of this program that opens thousands of sockets and measures the latency of
/// messages.
///
/// It prints `ready` when all have joined, and, for each line it reads, what it heard since the last one.
enum SocketLoad {
  static let flag = "--generate-sockets"

  struct Result {
    var frames: Int
    var median: Duration
    var slowest: Duration
    /// Payload of the frames that told a change.
    var bytes: Int

    init(_ line: String) throws {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 4 else { throw BenchFailure("sockets: “\(line)”") }
      frames = numbers[0]
      median = .nanoseconds(numbers[1])
      slowest = .nanoseconds(numbers[2])
      bytes = numbers[3]
    }
  }

  static func start(
    tokens: [String], feed: LoadFeed, on server: BenchmarkServer
  ) async throws -> RunningCommand {
    try await start(
      sockets: tokens.map { (server.port, $0) }, feed: feed, key: server.announcement.key,
      in: server.folder)
  }

  /// Starts the generator in a process of its own, and returns when all its sockets have joined.
  ///
  /// - Parameter sockets: The server's port and the token of each.
  /// - Throws: `BenchFailure` or `ProcessFailure` if a socket is refused.
  static func start(
    sockets: [(port: UInt16, token: String)], feed: LoadFeed, key: String,
    in folder: TemporaryFolder
  ) async throws -> RunningCommand {
    let file = folder.file("sockets")
    try sockets.map { "\($0.port) \($0.token)" }.joined(separator: "\n")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let generator = try RunningCommand(
      Bench.executable, [flag, key, file, feed.rawValue], environment: folder.environment)
    guard try await generator.firstLine(timeout: .seconds(300)) == "ready" else {
      throw BenchFailure("sockets: \(generator.snapshot.errorText)")
    }
    return generator
  }

  /// What the sockets heard since the last call.
  ///
  /// - Parameter number: Of this call, from 1 on.
  static func result(_ number: Int, of generator: RunningCommand) async throws -> Result {
    generator.write("\n")
    // The first line says that the sockets are ready.
    return try Result(await generator.line(number))
  }

  /// Ends the generator.
  static func end(_ generator: RunningCommand) async throws -> Result {
    generator.write("\n")
    generator.closeInput()
    _ = try await generator.waitForExit()
    let lines = generator.snapshot.outputText.split(separator: "\n")
    return try Result(String(lines.last ?? ""))
  }

  /// - Parameter arguments: API key, a file with a port and a token (or a topic) a line, and a
  ///   `LoadFeed`.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 3, let feed = LoadFeed(rawValue: arguments[2]) else {
      throw BenchFailure("\(flag) KEY FILE FEED")
    }
    let sockets = try String(contentsOfFile: arguments[1], encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: " ") }
    try OpenFiles.raise(to: sockets.count + 100)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let record = NIOLoopBoundBox.makeBoxSendingValue(LoadRecord(), eventLoop: loop)
    // In small batches: a burst of thousands of connections is not typical.
    for start in stride(from: 0, to: sockets.count, by: 50) {
      let batch = sockets[start..<min(start + 50, sockets.count)]
      let joined = try batch.map { socket in
        guard socket.count == 2, let port = Int(socket[0]) else {
          throw BenchFailure("\(arguments[1]): “\(socket)”")
        }
        let (address, token) = (
          try SocketAddress(ipAddress: "127.0.0.1", port: port), String(socket[1])
        )
        let joined = loop.makePromise(of: Void.self)
        _ = try ClientBootstrap(group: loop).channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler: any ChannelHandler =
              feed == .mqtt
              ? MQTTLoadSocket(topic: token, record: record, joined: joined)
              : LoadSocket(
                feed: feed, key: arguments[0], token: token, record: record, joined: joined)
            try channel.pipeline.syncOperations.addHandler(handler)
          }
        }.connect(to: address).wait()
        return joined.futureResult
      }
      for future in joined { try future.wait() }
    }
    say("ready")
    while readLine() != nil {
      let (latencies, bytes) = try loop.submit {
        defer { record.value = LoadRecord() }
        return (record.value.latencies.sorted(), record.value.bytes)
      }.wait()
      let rank = { (share: Double) in
        latencies.isEmpty
          ? 0 : latencies[min(Int(share * Double(latencies.count)), latencies.count - 1)]
      }
      say("\(latencies.count) \(rank(0.5)) \(rank(0.99)) \(bytes)")
    }
    try group.syncShutdownGracefully()
  }

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
