import RallyMap

/// How the features of one layer of a schema are brought to the map's classes.
struct SchemaLayer: Sendable {
  let name: String
  /// The keys of the properties that the rule reads.
  let fields: [String: SchemaField]
  /// The class of a feature; nil for features that are not drawn.
  let rule: @Sendable (SchemaFeature) -> GroundClass?
}

/// What a property means to the rules, whichever key the schema has for it.
enum SchemaField: Int, CaseIterable {
  /// The class; its key also tells schemas with layers of one name apart.
  case kind
  /// The class in finer steps.
  case detail
  case name
  /// The name where `name` is missing.
  case otherName
  /// The number of a road: `A 8`.
  case reference
  /// What orders labels of one kind: a rank, a population, an area, a zoom.
  case rank
  case tunnel
  case indoor
  case rail
  case maritime
}

/// The class of a feature.
///
/// Roads in tunnels are drawn without their names: who stands above is not in that street. Railways
/// and rivers in tunnels are not drawn.
struct GroundClass {
  var shape: GroundKind?
  var label: GroundLabelKind?
  /// Priority among labels of one kind, 0 first; values beyond 0...255 are clamped.
  var rank = 0
}
