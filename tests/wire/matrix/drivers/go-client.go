// go-git as a client: clone URL PATH [DEPTH], fetch URL PATH, push URL PATH CHANGE...
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	git "github.com/go-git/go-git"
	"github.com/go-git/go-git/config"
	"github.com/go-git/go-git/plumbing/transport"
)

func setOrigin(repo *git.Repository, url string) (*git.Remote, error) {
	_ = repo.DeleteRemote("origin")
	return repo.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{url}})
}

func clone(url, path string, depth []string) error {
	options := &git.CloneOptions{URL: url}
	if len(depth) > 0 {
		options.Depth, _ = strconv.Atoi(depth[0])
	}
	_, err := git.PlainClone(path, false, options)
	// The library clones no empty repositories.
	if !errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return err
	}
	repo, err := git.PlainInit(path, false)
	if err == nil {
		_, err = setOrigin(repo, url)
	}
	return err
}

func fetch(url, path string) error {
	repo, err := git.PlainOpen(path)
	if err != nil {
		return err
	}
	remote, err := setOrigin(repo, url)
	if err == nil {
		err = remote.Fetch(&git.FetchOptions{Tags: git.AllTags})
	}
	return err
}

func push(url, path string, changes []string) error {
	repo, err := git.PlainOpen(path)
	if err != nil {
		return err
	}
	remote := git.NewRemote(repo.Storer, &config.RemoteConfig{Name: "anonymous", URLs: []string{url}})
	specs := make([]config.RefSpec, len(changes))
	for at, change := range changes {
		specs[at] = config.RefSpec(change)
	}
	return remote.Push(&git.PushOptions{RemoteName: "anonymous", RefSpecs: specs})
}

func main() {
	var err error
	switch os.Args[1] {
	case "clone":
		err = clone(os.Args[2], os.Args[3], os.Args[4:])
	case "fetch":
		err = fetch(os.Args[2], os.Args[3])
	case "push":
		err = push(os.Args[2], os.Args[3], os.Args[4:])
	}
	if err != nil && !errors.Is(err, git.NoErrAlreadyUpToDate) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
