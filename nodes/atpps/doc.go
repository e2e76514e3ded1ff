// Package atpps is the parameter server of ATP.
package atpps
