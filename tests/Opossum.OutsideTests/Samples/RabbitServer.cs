using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Opossum.SampleTests;

/// <summary>A RabbitMQ server of a test's own, on ports of its own; its data is in a folder of the test.</summary>
internal sealed class RabbitServer : IDisposable
{
    private const string Program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string Started = "Server startup complete";

    private readonly List<Process> processes = [];
    private readonly Dictionary<string, string> environment;

    private RabbitServer(string folder, int port, int distributionPort, int epmdPort)
    {
        Address = new Uri($"amqp://guest:guest@127.0.0.1:{port}");
        environment = new()
        {
            ["HOME"] = folder,
            ["ERL_EPMD_PORT"] = $"{epmdPort}",
            ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODENAME"] = $"opossum{port}@localhost",
            ["RABBITMQ_NODE_IP_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODE_PORT"] = $"{port}",
            ["RABBITMQ_DIST_PORT"] = $"{distributionPort}",
            ["RABBITMQ_MNESIA_BASE"] = Path.Combine(folder, "data"),
            ["RABBITMQ_SCHEMA_DIR"] = Path.Combine(folder, "schema"),
            ["RABBITMQ_GENERATED_CONFIG_DIR"] = Path.Combine(folder, "schema"),
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = Path.Combine(folder, "plugins"),
            ["RABBITMQ_CONFIG_FILE"] = Path.Combine(folder, "config"),
            ["RABBITMQ_CONF_ENV_FILE"] = Path.Combine(folder, "environment"),
            ["RABBITMQ_PID_FILE"] = Path.Combine(folder, "pid"),
            ["RABBITMQ_LOGS"] = "-",
        };
    }

    public Uri Address { get; }

    /// <summary>Why a test has to be skipped; null: the server is installed.</summary>
    public static string? FindObstacle() =>
        File.Exists(Program) ? null : $"There is no {Program}: install Debian's package rabbitmq-server, without starting its service.";

    /// <summary>Starts a server, and waits until it takes connections.</summary>
    public static async Task<RabbitServer> StartAsync(string folder, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        var server = new RabbitServer(folder, FreePort(), FreePort(), FreePort());
        try
        {
            // Otherwise the server starts one that outlives it.
            server.Run("epmd");
            var output = server.Run(Program).StandardOutput;
            var lines = new List<string>();
            while (await output.ReadLineAsync(cancellationToken) is { } line)
            {
                lines.Add(line);
                if (!line.Contains(Started, StringComparison.Ordinal))
                    continue;
                // Read on, so that the server can write on.
                _ = output.ReadToEndAsync(CancellationToken.None);
                return server;
            }
            throw new InvalidOperationException($"RabbitMQ has ended:\n{string.Join('\n', lines.TakeLast(20))}");
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        foreach (var process in Enumerable.Reverse(processes))
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit();
            process.Dispose();
        }
    }

    private Process Run(string program)
    {
        var start = new ProcessStartInfo(program) { RedirectStandardOutput = true };
        foreach (var (name, value) in environment)
            start.Environment[name] = value;
        var process = Process.Start(start)!;
        processes.Add(process);
        return process;
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
