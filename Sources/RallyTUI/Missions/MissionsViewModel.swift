import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// All values that the Missions tab shows.
struct MissionsViewModel {
  var section: MissionsSection = .active
  var active: [Mission] = []
  var nearby: [Mission] = []
  var done: [Mission] = []
  var nearbyState: NearbyState = .noPosition
  var loadState: CommunityLoadState = .loaded
  /// When the lists were fetched; nil while none was.
  var asOf: WireTime?
  var isOffline = false
  var inFlightIDs: Set<UUID> = []
  var pending: [PendingCheckIn] = []
  /// Me; nil before it is known.
  var me: UUID?
  /// Friends who are online.
  var onlineIDs: Set<UUID> = []
  /// My position.
  var position: Coordinate?
  /// Whether changes arrive as they happen.
  var isLive = false
  /// The filter, a part of a title.
  var filter = ""
  var now = WireTime.now

  /// The missions of the shown section that match the filter.
  var missions: [Mission] {
    let all = missions(of: section)
    guard !filter.isEmpty else { return all }
    return all.filter {
      $0.title.range(of: filter, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
  }

  func missions(of section: MissionsSection) -> [Mission] {
    switch section {
    case .active: active
    case .nearby: nearby
    case .done: done
    }
  }

  /// The section that contains this mission; nil if none does.
  func section(of id: UUID) -> MissionsSection? {
    ([section] + MissionsSection.allCases).first { section in
      missions(of: section).contains { $0.id == id }
    }
  }

  /// Whether the age of the lists is shown.
  var isDated: Bool {
    if isOffline { return true }
    if case .failed = loadState { return true }
    return false
  }

  /// Shown when there are no rows.
  var emptyState: MissionsEmptyState {
    if !filter.isEmpty { return .filteredOut }
    if asOf == nil {
      if isOffline {
        return .nothing(
          [
            "The server is not reached, and no mission is known from before."
          ], [.refresh])
      }
      if case .failed(let error) = loadState { return .nothing([error.description], [.refresh]) }
      return .loading
    }
    switch section {
    case .active:
      var lines = [
        "You are in no mission yet. One can be started alone, and friends join later."
      ]
      if let nearest = nearby.first {
        lines.append("Near you: \(nearest.title)\(MissionFormatter.distance(of: nearest, self)).")
      }
      return .nothing(
        lines,
        nearby.isEmpty
          ? [MissionActions.compose.action] : [MissionActions.compose.action, .sectionNext])
    case .nearby:
      if nearbyState == .heldBack {
        return .nothing(
          [
            "Your zones or hours hold back where you are, so nothing near is asked for.",
            ":zone lists them.",
          ], [MissionActions.compose.action])
      }
      guard case .within(let metres) = nearbyState else {
        return .nothing(
          [
            "Nothing is near, since Rally does not know where you are.",
            "Say it with :here Lisbon; nobody sees it unless you share it.",
          ], [MissionActions.compose.action])
      }
      return .nothing(
        ["No mission \(MissionFormatter.within(metres)) of you."],
        [MissionActions.wider.action, MissionActions.compose.action])
    case .done:
      return .nothing(
        ["Nothing done yet. Completed and ended missions are listed here."], [])
    }
  }
}

/// Why a list of missions has no rows.
enum MissionsEmptyState: Hashable {
  case loading
  /// No title matches the filter.
  case filteredOut
  /// Sentences, and the actions that help.
  case nothing([String], [Action])
}
