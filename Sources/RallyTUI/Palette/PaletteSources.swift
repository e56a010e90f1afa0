import RallyDomain
import RallyWire

extension MissionsStore {
  /// Each mission of any list once: mine first, then nearby ones and past ones.
  var knownMissions: [Mission] {
    var known: Set<Mission.ID> = []
    return (active + nearby + done).filter { known.insert($0.id).inserted }
  }
}
