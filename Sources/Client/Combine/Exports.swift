@_exported public import BelfryClient
