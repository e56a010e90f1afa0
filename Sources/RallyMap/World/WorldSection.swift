/// The sections of the packed world. Raw values are the ids in the blob's section table.
public enum WorldSection: UInt8, CaseIterable, Hashable, Sendable {
  case countries = 1
  case timeZones = 2
  case cities = 3
  case rings = 4
  case names = 5
  case level0 = 16
  case level1 = 17
  case level2 = 18
  case level3 = 19
}
