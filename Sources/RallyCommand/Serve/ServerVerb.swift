import ArgumentParser

/// A verb that `rally-server` performs.
///
/// Its options are declared here and not there, so that `rally` knows them too: for help,
/// completions, the manual and mistyped words.
package protocol ServerVerb: ParsableCommand {}
