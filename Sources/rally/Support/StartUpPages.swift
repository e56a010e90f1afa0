import CProcessImage
import RallyDomain

/// Gives back what only the start needed.
enum StartUpPages {
  /// When the start is over: the first frame is shown and the link stands, or is known not to.
  private static let settled = Duration.seconds(2)

  /// Unmaps, once, the code that starting has touched: linking, reading arguments, opening
  /// everything. It is a third of what the program occupies and is not needed again; what is needed
  /// comes back from the system's cache, a few pages at a time.
  static func releaseOnce() async {
    do {
      try await Pause.for(settled, tolerance: .seconds(1))
      _ = cpi_release_code_pages()
    } catch {
      return  // the program ended before that
    }
  }
}
