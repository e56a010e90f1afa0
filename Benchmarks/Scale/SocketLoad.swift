import Foundation
import NIOCore
import NIOPosix
import RallyTestSupport
import RallyWire

/// A hidden mode of this program that opens thousands of sockets and measures the latency of
/// messages.
///
/// It prints `ready` when all have joined, and its result after it reads a line.
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

  /// Starts the generator in a process of its own, and returns when all its sockets have joined.
  ///
  /// - Throws: `BenchFailure` or `ProcessFailure` if a socket is refused.
  static func start(
    tokens: [String], feed: LoadFeed, on server: BenchmarkServer
  ) async throws -> RunningCommand {
    let file = server.folder.file("tokens")
    try tokens.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let generator = try RunningCommand(
      Bench.executable, [flag, "\(server.port)", server.announcement.key, file, feed.rawValue],
      environment: server.folder.environment)
    guard try await generator.firstLine(timeout: .seconds(300)) == "ready" else {
      throw BenchFailure("sockets: \(generator.snapshot.errorText)")
    }
    return generator
  }

  /// Ends the generator.
  static func end(_ generator: RunningCommand) async throws -> Result {
    generator.write("end\n")
    generator.closeInput()
    _ = try await generator.waitForExit()
    let lines = generator.snapshot.outputText.split(separator: "\n")
    return try Result(String(lines.last ?? ""))
  }

  /// - Parameter arguments: Port, API key, a file with one token a line, and a `LoadFeed`.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 4, let port = Int(arguments[0]),
      let feed = LoadFeed(rawValue: arguments[3])
    else {
      throw BenchFailure("\(flag) PORT KEY FILE FEED")
    }
    let tokens = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n")
    try OpenFiles.raise(to: tokens.count + 100)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let record = NIOLoopBoundBox.makeBoxSendingValue(LoadRecord(), eventLoop: loop)
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
    // In small batches: a burst of thousands of connections is not typical.
    for start in stride(from: 0, to: tokens.count, by: 50) {
      let batch = tokens[start..<min(start + 50, tokens.count)]
      let joined = try batch.map { token in
        let joined = loop.makePromise(of: Void.self)
        _ = try ClientBootstrap(group: loop).channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              LoadSocket(
                feed: feed, key: arguments[1], token: String(token), record: record,
                joined: joined))
          }
        }.connect(to: address).wait()
        return joined.futureResult
      }
      for future in joined { try future.wait() }
    }
    say("ready")
    _ = readLine()
    let (latencies, bytes) = try loop.submit {
      (record.value.latencies.sorted(), record.value.bytes)
    }.wait()
    let rank = { (share: Double) in
      latencies.isEmpty
        ? 0 : latencies[min(Int(share * Double(latencies.count)), latencies.count - 1)]
    }
    say("\(latencies.count) \(rank(0.5)) \(rank(0.99)) \(bytes)")
    try group.syncShutdownGracefully()
  }

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

/// The latencies of all sockets; bound to their event loop.
final class LoadRecord {
  /// Nanoseconds from the due time of a message, or from sending a request, to its arrival.
  var latencies: [UInt64] = []
  var bytes = 0
}
