package blobstore

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblobs "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore/bucket"
)

func openAzure(ctx context.Context, p place, opt Options) (*bucket.Store, error) {
	connection := environment("AZURE_STORAGE_CONNECTION_STRING")
	if p.account == "" {
		p.account = environment("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME")
	}
	if p.account == "" && connection == "" {
		return nil, &AddressError{p.scheme + "://" + p.bucket + " does not name the account: write " + p.scheme + "://" + p.bucket + "@ACCOUNT/KEY, or set AZURE_STORAGE_ACCOUNT"}
	}
	service := strings.TrimSuffix(opt.Endpoint, "/")
	if service == "" {
		service = "https://" + p.account + ".blob.core.windows.net"
	}
	identity := azcore.TokenCredential(nil)
	open := func(retries int32) (*blob.Bucket, error) {
		o := &container.ClientOptions{ClientOptions: policy.ClientOptions{
			Transport: &http.Client{Transport: transport(opt)}, Retry: policy.RetryOptions{MaxRetries: retries},
		}}
		c, err := containerOf(service+"/"+p.bucket, p, connection, &identity, o)
		if err != nil {
			return nil, err
		}
		return azureblob.OpenBucket(ctx, c, nil)
	}
	b, err := open(3)
	if err != nil {
		return nil, err
	}
	o := p.options(opt, azureProvider{})
	if p.account != "" {
		o.Address += "@" + p.account
	}
	if o.Once, err = open(-1); err != nil {
		return nil, err
	}
	return bucket.New(b, o), nil
}

// containerOf returns the client of a container, with the credentials of the environment. The
// errors do not quote them.
func containerOf(url string, p place, connection string, identity *azcore.TokenCredential, o *container.ClientOptions) (*container.Client, error) {
	key, signature := environment("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"), environment("AZURE_STORAGE_SAS_TOKEN")
	switch {
	case connection != "" && key == "" && signature == "":
		c, err := container.NewClientFromConnectionString(connection, p.bucket, o)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_CONNECTION_STRING cannot be used")
		}
		return c, nil
	case key != "":
		shared, err := azblob.NewSharedKeyCredential(p.account, key)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_KEY cannot be used: it is not base64")
		}
		return container.NewClientWithSharedKeyCredential(url, shared, o)
	case signature != "":
		return container.NewClientWithNoCredential(url+"?"+strings.TrimPrefix(signature, "?"), o)
	}
	// An identity needs a variable that selects it. Without one, the search for an identity runs
	// programs, and takes seconds.
	if environment("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT", "MSI_ENDPOINT", "AZURE_TOKEN_CREDENTIALS") == "" {
		return nil, ErrNoCredentials
	}
	if *identity == nil {
		found, err := azidentity.NewDefaultAzureCredential(nil)
		if err != nil {
			return nil, errors.New("the identity of Azure cannot be used")
		}
		*identity = found
	}
	return container.NewClient(url, *identity, o)
}

// azureProvider is a container of Azure Blob Storage.
type azureProvider struct{}

func (azureProvider) Answer(as bucket.As) bucket.Answer {
	var out azureblobs.DownloadStreamResponse
	if !as(&out) {
		return bucket.Answer{Offset: -1}
	}
	a := bucket.Answer{}
	if out.ETag != nil {
		a.Tag = string(*out.ETag)
	}
	if out.ContentRange != nil {
		a.Offset = offsetOf(*out.ContentRange)
	}
	return a
}

func (azureProvider) Tag(a *blob.Attributes) string { return a.ETag }

func same(tag string) *azureblobs.AccessConditions {
	match := azcore.ETag(tag)
	return &azureblobs.AccessConditions{ModifiedAccessConditions: &azureblobs.ModifiedAccessConditions{IfMatch: &match}}
}

func (azureProvider) Write(as bucket.As, _ int, tag string) error {
	var o *azblob.UploadStreamOptions
	if tag == "" {
		return nil
	}
	if !as(&o) {
		return errors.ErrUnsupported
	}
	o.AccessConditions = same(tag)
	return nil
}

func (azureProvider) Delete(as bucket.As, tag string) error {
	var o *azureblobs.DeleteOptions
	if !as(&o) {
		return errors.ErrUnsupported
	}
	o.AccessConditions = same(tag)
	return nil
}

func (azureProvider) Failure(err error) (f bucket.Failure) {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		f.Status, f.Why = answer.StatusCode, answer.ErrorCode
		f.Bucket = answer.ErrorCode == "ContainerNotFound"
		if f.Why == "" {
			f.Why = http.StatusText(f.Status)
		}
	}
	return f
}
