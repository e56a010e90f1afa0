import RallyWords
import TerminalKit

/// A QR code; needs `code.size` cells.
struct QRCodeView: View {
  let code: QRCode

  var body: some View {
    VStack(spacing: 0) {
      ForEach(Array(code.lines.enumerated()), id: \.offset) { Text($0.element, Style(.qrCode)) }
    }
  }
}

/// A link as a QR code where there is room, else as text with the reason.
struct InvitationQRCode: View {
  let text: String

  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize

  /// Cells of the sheet around it.
  private static let frame = Size(width: 4, height: 4)

  var body: some View {
    switch code {
    case .success(let code) where !isPlain && fits(code): QRCodeView(code: code)
    case .success(let code):
      Paragraph(text, .accent)
      if !isPlain {
        Paragraph(
          "With \(code.size.width + Self.frame.width)x\(code.size.height + Self.frame.height) there"
            + " is a QR code here.", .dim)
      }
    case .failure(let problem):
      Paragraph(text, .accent)
      Paragraph(problem.sentence, .dim)
    }
  }

  private var code: Result<QRCode, QRCode.Problem> {
    do throws(QRCode.Problem) { return .success(try QRCode(text)) } catch { return .failure(error) }
  }

  private func fits(_ code: QRCode) -> Bool {
    code.size.width + Self.frame.width <= terminalSize.width
      && code.size.height + Self.frame.height <= terminalSize.height
  }
}
