import RallyDomain

/// The form in which a mission is written, new or changed; stands in a modal.
struct MissionComposerSheet: View {
  let mission: Mission?
  let place: Place?
  let onClose: () -> Void

  /// - Parameters:
  ///   - mission: The one to change; nil for a new one.
  ///   - place: Where it shall be, such as a place picked on the map.
  ///   - onClose: Takes the sheet away, after sending or for later.
  init(mission: Mission? = nil, place: Place? = nil, onClose: @escaping () -> Void) {
    self.mission = mission
    self.place = place
    self.onClose = onClose
  }

  var body: some View {
    Box(title: mission == nil ? "New mission" : "Change \(mission?.title ?? "")") {
      Text(place?.title ?? "", .dim)
    }
    .onAction(.back) { onClose() }
  }
}
