// Package chassistest makes plans, programs and packets of Trio-ML for tests of
// what drives a chassis: its process, and its control plane.
package chassistest
