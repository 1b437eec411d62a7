// A client-go informer on one resource, told by its standard input what to do. One JSON object a line on standard output:
// each LIST and WATCH that it sends, each change of its cache, and on "dump" what the cache holds. It ends with its input.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type record map[string]any

var (
	out  = json.NewEncoder(os.Stdout)
	lock sync.Mutex
)

func tell(what record) {
	lock.Lock()
	defer lock.Unlock()
	if err := out.Encode(what); err != nil {
		os.Exit(1)
	}
}

func fail(err error) {
	tell(record{"fatal": err.Error()})
	os.Exit(1)
}

var kinds = map[string]runtime.Object{
	"configmaps": &corev1.ConfigMap{},
	"events":     &corev1.Event{},
}

func client(server string) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	group := corev1.SchemeGroupVersion
	config := &rest.Config{Host: server, APIPath: "/api", UserAgent: "kwatch-informer"}
	config.GroupVersion = &group
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(config)
}

// Says of each request from where it starts, and of a list where it stands.
func told(inner *cache.ListWatch) *cache.ListWatch {
	return &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			list, err := inner.List(options)
			said := record{"request": "list", "rv": options.ResourceVersion}
			if err != nil {
				said["error"] = err.Error()
			} else if at, err := meta.ListAccessor(list); err == nil {
				said["listed"] = at.GetResourceVersion()
			}
			tell(said)
			return list, err
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			stream, err := inner.Watch(options)
			said := record{"request": "watch", "rv": options.ResourceVersion}
			if err != nil {
				said["error"] = err.Error()
			}
			tell(said)
			return stream, err
		},
	}
}

func main() {
	server := flag.String("server", "", "URL of the apiserver")
	resource := flag.String("resource", "configmaps", "what to inform of")
	flag.Parse()
	kind, known := kinds[*resource]
	if !known {
		tell(record{"fatal": "no such resource: " + *resource})
		os.Exit(2)
	}
	core, err := client(*server)
	if err != nil {
		fail(err)
	}
	source := cache.NewListWatchFromClient(core, *resource, metav1.NamespaceAll, fields.Everything())
	informer := cache.NewSharedIndexInformer(told(source), kind, 0, cache.Indexers{})
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(one any) { changed("set", one) },
		UpdateFunc: func(_, one any) { changed("set", one) },
		DeleteFunc: func(one any) { changed("unset", one) },
	}); err != nil {
		fail(err)
	}
	stop := make(chan struct{})
	go informer.Run(stop)

	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		if commands.Text() == "dump" {
			dump(informer)
		}
	}
	close(stop)
}

func changed(how string, one any) {
	if missed, ok := one.(cache.DeletedFinalStateUnknown); ok {
		one = missed.Obj
	}
	object, err := meta.Accessor(one)
	if err != nil {
		fail(err)
	}
	tell(record{how: object.GetNamespace() + "/" + object.GetName(), "rv": object.GetResourceVersion()})
}

func dump(informer cache.SharedIndexInformer) {
	held := map[string]string{}
	for _, one := range informer.GetStore().List() {
		object, err := meta.Accessor(one)
		if err != nil {
			fail(err)
		}
		held[object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
	}
	tell(record{"cache": held, "synced": informer.HasSynced(), "rv": informer.LastSyncResourceVersion()})
}
