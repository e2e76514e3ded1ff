// Package atp is the host core of an ATP worker.
package atp
