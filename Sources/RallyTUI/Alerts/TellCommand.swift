import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// Makes an alert of what is typed after `:tell`.
@MainActor
struct TellCommand {
  let alertsStore: AlertsStore
  let missionsStore: MissionsStore
  let groundStore: GroundStore
  let interface: Interface
  /// What is known when the place was found.
  let scene: @MainActor () -> AlertScene

  func run(_ words: [String]) {
    guard !words.isEmpty else { return interface.overlay = .alerts }
    Task.immediate {
      do throws(FieldProblem) {
        var request = try AlertRequest(words, now: .now)
        let missions = missionsStore.missionsOnMap(at: .now)
        let place = try await request.findPlace(among: missions) {
          [groundStore] text throws(FieldProblem) in
          try await groundStore.resolve(text)
        }
        let added = try await alertsStore.add(request, at: place, in: scene())
        interface.history.close("Adding an alert")
        if let unkept = added.unkept {
          interface.say("\(added.sentence) That ends with Rally: \(unkept)", kind: .warning)
        } else {
          interface.say(added.sentence, kind: .success)
        }
      } catch {
        interface.say(error.advice, kind: .warning)
      }
    }
  }

  /// Completes a friend's name and the word after it.
  nonisolated static func completions(of words: [String], friends: [String]) -> [String] {
    let offered: [String]
    switch words.count {
    case 2:
      let isNamed = words[1].hasPrefix("@")
      offered =
        friends.map { isNamed || $0 == AlertRequest.anybody ? "@\($0)" : $0 }
        + (isNamed ? [] : [AlertRequest.anybody])
    case 3: offered = ["near", "leaves"]
    default: return []
    }
    let start = words.dropLast().joined(separator: " ")
    return offered.filter { $0.hasPrefix(words[words.count - 1]) }.sorted().map { "\(start) \($0)" }
  }
}
