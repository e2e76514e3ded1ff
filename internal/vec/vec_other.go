//go:build !amd64

package vec

// available lists the variants that this processor runs: the portable one.
func available() []Impl { return []Impl{portable()} }
