//go:build !linux

package main

// waitForEnd has nothing to wait for: no lab was ever made here.
func waitForEnd(int) {}
