import Foundation
import RallyDomain
import RallyWire

/// Chooses the server: this machine's own, or one that is shared, by its address and key.
struct ServerForm: View {
  @Environment(\.actions) private var actions
  @Environment(\.rallySession) private var rallySession
  @Environment(\.interface) private var interface
  @State private var address = ""
  @State private var key = ""
  @State private var problem: FieldProblem?
  @State private var isKeyFocused = false

  var body: some View {
    Box(title: "Server") {
      VStack(spacing: 0) {
        Paragraph("Leave the address empty for the server of this machine.", .dim)
        Text("")
        FormField(
          field: .server, text: $address, problem: problem, isFocused: !isKeyFocused,
          placeholder: "https://rally.example.org"
        ) { isKeyFocused = false }
        HStack(spacing: 0) {
          Text(
            "\(isKeyFocused ? "▸" : " ") API key".padded(toCells: FormField.labelWidth),
            isKeyFocused ? .accent : .normal
          )
          .frame(width: FormField.labelWidth)
          TextField(text: $key, placeholder: "rally serve prints it", isFocused: isKeyFocused)
        }
        .frame(height: 1)
        .onClick { isKeyFocused = true }
        Text("")
        FormButton(
          title: "Use this server", waiting: "", isWaiting: false,
          hint: "\(actions.table.way(to: .back)) keeps ", hintID: .back, submit: submit)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .onAction(.fieldNext) { isKeyFocused.toggle() }
    .onAction(.fieldPrevious) { isKeyFocused.toggle() }
    .onAction(.submit) { submit() }
  }

  private func submit() {
    let typed = address.trimmingCharacters(in: .whitespaces)
    if typed.isEmpty { return use(.embedded) }
    do throws(FieldProblem) {
      let url = try ServerURL(typed)
      let key = key.trimmingCharacters(in: .whitespaces)
      guard !key.isEmpty else {
        isKeyFocused = true
        throw FieldProblem(field: .server, advice: "This server needs its API key.")
      }
      use(.remote(url, key: key))
    } catch {
      problem = error
    }
  }

  private func use(_ server: ServerChoice) {
    interface.overlay = nil
    rallySession?.choose(server)
  }
}
