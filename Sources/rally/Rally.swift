import ArgumentParser
@main struct Rally: ParsableCommand { func run() {} }
