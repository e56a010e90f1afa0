import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import RallyWords
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// What a row of the sheet means, in words.
@Suite struct SharingRowTests {
  private let now = WireTime.now

  private func row(
    _ setting: SharingSetting, followsDefault: Bool = false, isGeneral: Bool = false
  ) -> SharingRow {
    SharingRow(
      id: isGeneral ? .general : .friend(Samples.id(1)),
      name: isGeneral ? "Everybody else" : "Ana", handle: "", setting: setting,
      followsDefault: followsDefault, isInFlight: false)
  }

  private func meaning(_ row: SharingRow, general: SharingSetting = SharingSetting(.off)) -> String
  {
    row.meaning(general: general, at: now)
  }

  @Test func `what is seen is said, and what comes after an end`() {
    let end = now.advanced(by: .seconds(3600))
    let clock = LocalTime.end(end, at: now)
    let city = SharingSetting(.approximate10km, until: end)
    #expect(meaning(row(city)) == "Ana sees the city you are in until \(clock), then nothing.")
    #expect(
      meaning(row(city), general: SharingSetting(.approximate1km))
        == "Ana sees the city you are in until \(clock), then what everybody else sees.")
    // What everybody sees ends as well.
    #expect(
      meaning(row(city), general: SharingSetting(.approximate1km, until: end))
        == "Ana sees the city you are in until \(clock), then nothing.")
    #expect(
      meaning(row(city, isGeneral: true), general: city)
        == "Everybody else sees the city you are in until \(clock), then nothing.")
  }

  @Test func `without an end, without a setting and without anything it is shorter`() {
    #expect(meaning(row(SharingSetting(.precise))) == "Ana sees exactly where you are.")
    #expect(meaning(row(SharingSetting(.off))) == "Ana sees nothing of you.")
    #expect(meaning(row(SharingSetting(.off), followsDefault: true)) == "Ana sees nothing of you.")
    let all = SharingSetting(.approximate1km)
    #expect(
      meaning(row(all, followsDefault: true), general: all)
        == "Ana sees the area you are in (1 km), as everybody else does.")
  }

  @Test func `no row cuts a setting, also on 40 columns`() {
    func texts(_ rows: [SharingRow], width: Int) -> [String] {
      let columns = SharingColumns(rows, width: width, at: now)
      return rows.map { row in
        row.line(isSelected: false, in: columns, at: now).spans.map(\.text).joined()
      }
    }
    var ana = row(SharingSetting(.approximate1km), followsDefault: true)
    (ana.name, ana.handle) = ("Ana Pereira-Albuquerque", "@ana")
    #expect(
      texts([ana], width: 72) == ["  Ana Pereira-Albuq… @ana         about 1 km  as everybody else"]
    )
    #expect(texts([ana], width: 36) == ["  Ana Pereira-Albuq… about 1 km"])
    ana.setting.until = now.advanced(by: .seconds(3600))
    let sentence = ana.setting.sentence(at: now)
    let narrow = texts([ana], width: 36)[0]
    #expect(narrow.hasSuffix(sentence) && narrow.hasPrefix("  Ana Perei"))
  }

  @Test func `an end is a time of day, and a day as well where it is further away`() throws {
    let when = WhenText(timeZone: .current, now: now)
    let midnight = try #require(try when.parse("tomorrow 0:00", field: .ends))
    #expect(LocalTime.end(midnight, at: midnight.advanced(by: .seconds(-60))) == "midnight")
    let later = midnight.advanced(by: .seconds(71 * 3600))
    #expect(LocalTime.end(later, at: midnight) == when.text(of: later))
    #expect(LocalTime.end(later, at: later.advanced(by: .seconds(-60))) == LocalTime.clock(later))
  }

  @Test func `what nobody can see yet lies in the future`() {
    func meaning(_ mode: SharingMode) -> String {
      row(SharingSetting(mode)).meaning(
        general: SharingSetting(.off), at: now, isPlaceKnown: false)
    }
    #expect(
      meaning(.precise) == "Ana will see exactly where you are, once you say where you are.")
    #expect(meaning(.off) == "Ana sees nothing of you.")
  }
}
