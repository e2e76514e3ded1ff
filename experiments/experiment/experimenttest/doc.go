// Package experimenttest runs experiments quickly and holds what they find against
// the ledger, for their tests.
package experimenttest
