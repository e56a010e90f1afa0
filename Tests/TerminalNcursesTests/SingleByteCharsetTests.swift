import Testing

@testable import TerminalKit
@testable import TerminalNcurses

@Suite struct SingleByteCharsetTests {
  @Test(arguments: [
    ("de_DE.ISO-8859-1", 0xF6 as UInt8, "ö"), ("de_DE.ISO-8859-15@euro", 0xA4, "€"),
    ("ru_RU.KOI8-R", 0xCA, "й"), ("uk_UA.CP1251", 0xB3, "і"), ("pl_PL.ISO-8859-2", 0xB3, "ł"),
  ])
  func `the locale's charset says what a byte means`(
    _ locale: String, _ byte: UInt8, _ text: String
  ) {
    // LC_ALL counts, whether that locale is installed or not.
    let charset = SingleByteCharset.ofLocale(["LANG": "C.UTF-8", "LC_ALL": locale])
    #expect(charset?.text([0x4B, byte]) == "K" + text)
  }

  @Test(arguments: [
    "", "C", "POSIX", "C.UTF-8", "de_DE.utf8", "ja_JP.EUC-JP", "zh_CN.GB18030", "en_US.US-ASCII",
    "xx_XX.no-such-charset",
  ])
  func `UTF-8, ASCII and letters of several bytes have no such charset`(_ locale: String) {
    #expect(SingleByteCharset.ofLocale(["LANG": locale]) == nil)
  }
}
