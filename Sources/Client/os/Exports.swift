@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems, URL loading is part of Foundation, so files that import only this module can use it.
  @_exported public import FoundationNetworking
#endif
