import RallyDomain
import TerminalKit

extension Binding where Value == String {
  /// Opens an invitation that is pasted into a field, which stays as it was.
  ///
  /// - Parameter isSecret: A password may look like anything.
  @MainActor func takingLinks(_ session: RallySession, unless isSecret: Bool) -> Binding<String> {
    guard !isSecret else { return self }
    return Binding(
      get: { wrappedValue },
      set: { text in
        // A link that is typed letter by letter is whole only at its end.
        let isPasted = text.count > wrappedValue.count + 8
        let isWhole = InvitationLink.isLink(text) && (try? InvitationLink(text)) != nil
        guard InvitationLink.isLink(text), isPasted || isWhole else { return wrappedValue = text }
        session.take(text)
      })
  }
}
