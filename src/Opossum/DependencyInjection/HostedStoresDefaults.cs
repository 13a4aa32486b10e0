using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Gives stores on demand the host's logger factory and clock, as defaults.</summary>
internal sealed class HostedStoresDefaults(IServiceProvider services) : IConfigureOptions<OpossumStoresOptions>
{
    public void Configure(OpossumStoresOptions options) => new HostedStoreDefaults(services).Configure(options.Store);
}
