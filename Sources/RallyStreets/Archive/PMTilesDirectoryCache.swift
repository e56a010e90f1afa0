import Synchronization

/// The leaf directories that were used last, within a bound on their entries.
final class PMTilesDirectoryCache: Sendable {
  private struct State {
    /// By their offset; each with the turn of its last use.
    var directories: [UInt64: (directory: PMTilesDirectory, used: UInt64)] = [:]
    var turn: UInt64 = 0
    var entries = 0
  }

  /// 24 bytes each: at most 3 MiB, or a single directory that is larger.
  private static let mostEntries = 131_072

  private let state = Mutex(State())

  func directory(at offset: UInt64) -> PMTilesDirectory? {
    state.withLock { state in
      state.turn += 1
      state.directories[offset]?.used = state.turn
      return state.directories[offset]?.directory
    }
  }

  func keep(_ directory: PMTilesDirectory, at offset: UInt64) {
    state.withLock { state in
      state.turn += 1
      guard state.directories.updateValue((directory, state.turn), forKey: offset) == nil else {
        return
      }
      state.entries += directory.entries.count
      while state.entries > Self.mostEntries, state.directories.count > 1,
        let oldest = state.directories.min(by: { $0.value.used < $1.value.used })
      {
        state.directories[oldest.key] = nil
        state.entries -= oldest.value.directory.entries.count
      }
    }
  }
}
