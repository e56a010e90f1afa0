import ArgumentParser

/// How verbs take the names of places. A script does not see that a name was completed: `Roman` must
/// not be Romans in France without a word.
struct PlaceOptions: ParsableArguments {
  @Flag(help: "Take the first place whose name begins with what is typed.") var first = false
}
