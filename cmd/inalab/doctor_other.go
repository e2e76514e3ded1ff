//go:build !linux

package main

import (
	"context"
	"runtime"
)

// hostChecks have one thing to say.
func hostChecks() []check {
	return []check{fail("system", "live runs need Linux, and this is "+runtime.GOOS, "run them on a Linux host, or here with --clock virtual")}
}

func probeChecks(context.Context) []check { return nil }

func probe() []check { return nil }
