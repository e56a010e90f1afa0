import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// The objectives of a mission that were completed a moment ago: the mark of each fills.
@MainActor final class ObjectiveFills {
  static let step = Duration.milliseconds(100)
  static let signs = ["○", "◔", "◑", "◕", "●"]

  private var arrivals = Arrivals<UUID>(length: step * signs.count)
  private var missionID: UUID?

  /// Takes the mission as it is shown now.
  func update(_ mission: Mission, hasMotion: Bool) {
    if mission.id != missionID || !hasMotion { arrivals.forget() }
    missionID = mission.id
    guard hasMotion else { return }
    arrivals.update(Set(mission.objectives.lazy.filter(\.isDone).map(\.id)))
  }

  /// What is drawn instead of the mark, in one cell, and when it is another one; nil for the mark.
  func sign(of id: UUID, at now: ContinuousClock.Instant) -> (text: String, rest: Duration)? {
    guard let elapsed = arrivals.elapsed(at: now)[id] else { return nil }
    // A terminal may take two cells for some of them.
    let signs = Self.signs.filter { $0.cellWidth == 1 }
    guard !signs.isEmpty else { return nil }
    let length = arrivals.length / signs.count
    let number = min(Int(elapsed / length), signs.count - 1)
    return (signs[number], length * (number + 1) - elapsed)
  }
}

/// The mark of an objective in the first cell of its row.
struct ObjectiveMark: View {
  let id: UUID
  let mark: Span
  let fills: ObjectiveFills

  var body: some View {
    CanvasView { canvas, rect in
      let sign = fills.sign(of: id, at: canvas.now)
      canvas.draw(sign?.text ?? mark.text, at: rect.origin, style: mark.style)
      if let sign { canvas.requestFrame(after: sign.rest) }
    }
    .frame(width: mark.text.cellWidth, height: 1)
  }
}
