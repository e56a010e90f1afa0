import Observation
import RallyEnvironment

/// The palette while it is open, and what was chosen in it.
@MainActor
@Observable
final class PaletteState {
  /// The palette's items when it was opened; nil before that.
  var palette: Palette?
  /// Recent choices of the palette, the newest first.
  private(set) var recentPicks: [PaletteItem.Target] = []

  /// Records a choice of the palette, for the order of later results.
  func picked(_ target: PaletteItem.Target) {
    recentPicks = [target] + recentPicks.filter { $0 != target }.prefix(19)
  }
}

private struct PaletteStateKey: EnvironmentKey {
  static let defaultValue = PaletteState()
}

extension EnvironmentValues {
  var paletteState: PaletteState {
    get { self[PaletteStateKey.self] }
    set { self[PaletteStateKey.self] = newValue }
  }
}
