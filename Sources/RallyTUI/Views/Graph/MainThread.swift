import Foundation

func isMainThread() -> Bool { Thread.isMainThread }
