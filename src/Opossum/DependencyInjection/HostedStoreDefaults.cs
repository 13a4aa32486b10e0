using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>Gives every store the host's logger factory and clock, as defaults.</summary>
internal sealed class HostedStoreDefaults(IServiceProvider services) : IConfigureNamedOptions<OpossumOptions>, IConfigureOptions<OpossumStoresOptions>
{
    public void Configure(string? name, OpossumOptions options)
    {
        options.LoggerFactory ??= services.GetService<ILoggerFactory>();
        if (ReferenceEquals(options.TimeProvider, TimeProvider.System) && services.GetService<TimeProvider>() is { } clock)
            options.TimeProvider = clock;
    }

    public void Configure(OpossumOptions options) => Configure(Options.DefaultName, options);

    public void Configure(OpossumStoresOptions options) => Configure(options.Store);
}
