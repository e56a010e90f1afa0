import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

struct LocationReplay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay a recorded track as your position, for testing.",
    discussion: """
      Friends see it as far as you share with them, and no more often than a measured position: \
      when you enter another cell, and precisely at most every 15 seconds. What you said with \
      `rally location set` is neither used nor changed. Points without a time are walked at \
      1.4 m/s. ^C ends it.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "A GPX file with a track.", completion: .file(extensions: ["gpx"]))
  var file: String
  @Option(help: "How many times faster than it was recorded: 0.1 to 1000.") var speed = 1.0

  func validate() throws {
    guard (0.1...1000).contains(speed) else {
      throw ValidationError("--speed is from 0.1 to 1000.")
    }
  }

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let track = try await GPXTrack.read(file: file)
    let replay = await replay(track, session)
    guard let viewers = await replay.prepare() else {
      throw VerbFailure(
        .offline, "The server is not reached.", advice: "Check the address and the network.")
    }
    guard viewers > 0 else {
      throw VerbFailure(
        .refused, "Nobody sees where you are, so nothing would be sent.",
        advice: "`rally location share area` lets friends see it.")
    }
    let output = session.output
    output.message(
      "Replaying \(track.count.counted("point")) for \(viewers.counted("friend")); ^C ends it.")
    let running = Task {
      await replay.run { point, step in
        let place = "Point \(point) of \(track.count):"
        switch step {
        case .sent(let report): output.message("\(place) sent as \(report.precision.title).")
        case .failed(let failure):
          output.message("\(place) \(failure.title): \(failure.description)")
        }
      }
    }
    let signals = EndSignals { running.cancel() }
    defer { signals.cancel() }
    await running.value
  }

  @MainActor
  private func replay(_ track: GPXTrack, _ session: CommandSession) async -> PositionReplay {
    let coordinator = RuntimePolicyCoordinator(overrides: session.configuration.policy)
    let signals = DeviceSignals(
      roots: DeviceRoots(environment: ProcessInfo.processInfo.environment),
      serverReach: session.services.server.reach)
    coordinator.receive(await signals.examine())
    return PositionReplay(
      track, speed: speed, interval: coordinator.mapSyncInterval, services: session.services)
  }
}
