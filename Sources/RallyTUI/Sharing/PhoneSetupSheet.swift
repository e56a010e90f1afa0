import RallyDomain
import RallySystem
import RallyWords
import TerminalKit

/// What a phone is told, once: its link as a QR code where there is room, and what to type.
struct PhoneSetupSheet: View {
  let setup: PhoneSetup
  let close: @MainActor () -> Void

  var body: some View {
    PhoneSetupCard(setup: setup)
      .onCopy { Clipping(text: setup.link, title: "the link for \(setup.app.title)") }
      .onAction(.back) { close() }
      .onAction(.leave) { close() }
  }
}

/// The sheet without its actions, so that tests and pictures can render it.
public struct PhoneSetupCard: View {
  private let setup: PhoneSetup

  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize

  public init(setup: PhoneSetup) { self.setup = setup }

  public var body: some View {
    let (code, problem) = code
    Box(title: setup.app.title) {
      VStack(spacing: 0) {
        if let code, fits(code) {
          QRCodeView(code: code)
          let rows = terminalSize.height - code.size.height - Self.frame.height
          if let warning = setup.warning, rows >= 2 { Paragraph(warning, .warning) }
          if rows >= 5 {
            Paragraph("\(setup.app.instruction) It is shown only this once.", .dim)
          }
        } else {
          if let code, !isPlain {
            Paragraph(
              "With \(code.size.width + Self.frame.width)x\(code.size.height + Self.frame.height) "
                + "there is a QR code here. Copy the link, or type:", .dim)
          }
          if let problem, !isPlain {
            Paragraph("\(problem.sentence) Copy the link, or type:", .dim)
          }
          ForEach(setup.settings, id: \.self) { setting in
            let label = setting.name.padded(toCells: Self.labelWidth)
            if Self.labelWidth + setting.value.count <= width {
              Line(Span(label, .dim), Span(setting.value, .accent))
            } else {
              Text(label, .dim)
              Paragraph(setting.value, .accent)
            }
          }
          if let warning = setup.warning { Paragraph(warning, .warning) }
          Paragraph("It is shown only this once.", .dim)
        }
        KeyHints([(.copy, "copy the link"), (.back, "done")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: max(Self.width, (code?.size.width ?? 0) + Self.frame.width))
  }

  /// The code of the link, or why there is none.
  private var code: (QRCode?, QRCode.Problem?) {
    do throws(QRCode.Problem) {
      return (try QRCode(setup.link), nil)
    } catch {
      return (nil, error)
    }
  }

  /// Cells of the widest line.
  private var width: Int { min(Self.width, terminalSize.width) - Self.frame.width }

  private func fits(_ code: QRCode) -> Bool {
    !isPlain && code.size.width + Self.frame.width <= terminalSize.width
      && code.size.height + Self.frame.height <= terminalSize.height
  }

  private static let width = 76
  private static let labelWidth = 23
  /// Columns and rows around the code: the box, its margins, the keys.
  private static let frame = Size(width: 6, height: 5)
}
