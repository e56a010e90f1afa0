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
