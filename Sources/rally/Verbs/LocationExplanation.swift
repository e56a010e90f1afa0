import RallyCommand
import RallyDomain
import RallySystem
import RallyWire
import RallyWords

extension CommandSession {
  /// Prints my position as a person sees it on a map, or the rule that withholds it and what to do.
  ///
  /// - Throws: `NetworkError`, or what printing throws.
  func explainPosition(to reader: Username) async throws {
    let isGhostPending = await services.ghostService.isPending()
    let seen = try await services.locationsService.fetchOwnPosition(
      seenBy: reader, isGhostPending: isGhostPending)
    let explanation = PositionExplanation(reader: reader, seen: seen)
    if output.options.json { return try output.json(explanation) }
    switch seen {
    case .success(let location):
      output.table([location.cells(at: .now)])
      output.message(explanation.sentence)
    case .failure:
      output.data(explanation.sentence)
      if let advice = explanation.advice { output.message(advice) }
    }
    if isGhostPending {
      output.message("The server does not know yet that you are a ghost; `rally` tells it.")
    }
  }
}

/// Why a person sees my position or does not. Scripts build on these names: nothing is renamed or
/// left out, and what is unknown is null.
private struct PositionExplanation: JSONRow {
  let reader: Username
  let seen: Result<LocationRecord, WithheldReason>

  /// nil while the person sees the position.
  private var reason: WithheldReason? {
    if case .failure(let reason) = seen { reason } else { nil }
  }

  var sentence: String {
    reason?.sentence(about: "@\(reader)") ?? "@\(reader) sees your position."
  }

  /// What to do; nil while the person sees the position.
  var advice: String? { reason?.advice(about: reader.value) }

  var members: [String: (any Encodable)?] {
    [
      "username": reader,
      "visible": reason == nil,
      "reason": reason,
      "sentence": sentence,
      "advice": advice,
      "location": (try? seen.get()).map(SeenRow.init),
    ]
  }
}
