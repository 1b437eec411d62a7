/**
 * Fields of the Go types that a pod is made of, volumes apart (k8s.io/api v0.30.3). How a row is read: `go-types.ts`.
 */
export const POD_TYPES = `
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PodSpec volumes?:[Volume]@name~ initContainers?:[Container]@name containers:[Container]@name
  ephemeralContainers?:[EphemeralContainer]@name restartPolicy?:RestartPolicy terminationGracePeriodSeconds?*:int64
  activeDeadlineSeconds?*:int64 dnsPolicy?:DNSPolicy nodeSelector?:{string} serviceAccountName?:string
  serviceAccount?:string automountServiceAccountToken?*:bool nodeName?:string hostNetwork?:bool hostPID?:bool
  hostIPC?:bool shareProcessNamespace?*:bool securityContext?*:PodSecurityContext
  imagePullSecrets?:[LocalObjectReference]@name hostname?:string subdomain?:string affinity?*:Affinity
  schedulerName?:string tolerations?:[Toleration] hostAliases?:[HostAlias]@ip priorityClassName?:string
  priority?*:int32 dnsConfig?*:PodDNSConfig readinessGates?:[PodReadinessGate] runtimeClassName?*:string
  enableServiceLinks?*:bool preemptionPolicy?*:PreemptionPolicy overhead?:ResourceList
  topologySpreadConstraints?:[TopologySpreadConstraint]@topologyKey setHostnameAsFQDN?*:bool os?*:PodOS
  hostUsers?*:bool schedulingGates?:[PodSchedulingGate]@name resourceClaims?:[PodResourceClaim]@name~
Container name:string image?:string command?:[string] args?:[string] workingDir?:string
  ports?:[ContainerPort]@containerPort envFrom?:[EnvFromSource] env?:[EnvVar]@name resources:ResourceRequirements
  resizePolicy?:[ContainerResizePolicy] restartPolicy?*:ContainerRestartPolicy volumeMounts?:[VolumeMount]@mountPath
  volumeDevices?:[VolumeDevice]@devicePath livenessProbe?*:Probe readinessProbe?*:Probe startupProbe?*:Probe
  lifecycle?*:Lifecycle terminationMessagePath?:string terminationMessagePolicy?:TerminationMessagePolicy
  imagePullPolicy?:PullPolicy securityContext?*:SecurityContext stdin?:bool stdinOnce?:bool tty?:bool
ContainerPort name?:string hostPort?:int32 containerPort:int32 protocol?:Protocol hostIP?:string
EnvFromSource prefix?:string configMapRef?*:ConfigMapEnvSource secretRef?*:SecretEnvSource
ConfigMapEnvSource name?:string optional?*:bool
SecretEnvSource name?:string optional?*:bool
EnvVar name:string value?:string valueFrom?*:EnvVarSource
EnvVarSource fieldRef?*:ObjectFieldSelector resourceFieldRef?*:ResourceFieldSelector
  configMapKeyRef?*:ConfigMapKeySelector secretKeyRef?*:SecretKeySelector
ConfigMapKeySelector name?:string key:string optional?*:bool
SecretKeySelector name?:string key:string optional?*:bool
ResourceRequirements limits?:ResourceList requests?:ResourceList claims?:[ResourceClaim]
ResourceClaim name:string
ContainerResizePolicy resourceName:ResourceName restartPolicy:ResourceResizeRestartPolicy
VolumeMount name:string readOnly?:bool recursiveReadOnly?*:RecursiveReadOnlyMode mountPath:string subPath?:string
  mountPropagation?*:MountPropagationMode subPathExpr?:string
VolumeDevice name:string devicePath:string
Probe exec?*:ExecAction httpGet?*:HTTPGetAction tcpSocket?*:TCPSocketAction grpc?*:GRPCAction
  initialDelaySeconds?:int32 timeoutSeconds?:int32 periodSeconds?:int32 successThreshold?:int32
  failureThreshold?:int32 terminationGracePeriodSeconds?*:int64
ExecAction command?:[string]
HTTPGetAction path?:string port:IntOrString host?:string scheme?:URIScheme httpHeaders?:[HTTPHeader]
HTTPHeader name:string value:string
TCPSocketAction port:IntOrString host?:string
GRPCAction port:int32 service*:string
Lifecycle postStart?*:LifecycleHandler preStop?*:LifecycleHandler
LifecycleHandler exec?*:ExecAction httpGet?*:HTTPGetAction tcpSocket?*:TCPSocketAction sleep?*:SleepAction
SleepAction seconds:int64
SecurityContext capabilities?*:Capabilities privileged?*:bool seLinuxOptions?*:SELinuxOptions
  windowsOptions?*:WindowsSecurityContextOptions runAsUser?*:int64 runAsGroup?*:int64 runAsNonRoot?*:bool
  readOnlyRootFilesystem?*:bool allowPrivilegeEscalation?*:bool procMount?*:ProcMountType
  seccompProfile?*:SeccompProfile appArmorProfile?*:AppArmorProfile
Capabilities add?:[Capability] drop?:[Capability]
SELinuxOptions user?:string role?:string type?:string level?:string
WindowsSecurityContextOptions gmsaCredentialSpecName?*:string gmsaCredentialSpec?*:string runAsUserName?*:string
  hostProcess?*:bool
SeccompProfile type:SeccompProfileType localhostProfile?*:string
AppArmorProfile type:AppArmorProfileType localhostProfile?*:string
EphemeralContainer name:string image?:string command?:[string] args?:[string] workingDir?:string
  ports?:[ContainerPort]@containerPort envFrom?:[EnvFromSource] env?:[EnvVar]@name resources:ResourceRequirements
  resizePolicy?:[ContainerResizePolicy] restartPolicy?*:ContainerRestartPolicy volumeMounts?:[VolumeMount]@mountPath
  volumeDevices?:[VolumeDevice]@devicePath livenessProbe?*:Probe readinessProbe?*:Probe startupProbe?*:Probe
  lifecycle?*:Lifecycle terminationMessagePath?:string terminationMessagePolicy?:TerminationMessagePolicy
  imagePullPolicy?:PullPolicy securityContext?*:SecurityContext stdin?:bool stdinOnce?:bool tty?:bool
  targetContainerName?:string
PodSecurityContext seLinuxOptions?*:SELinuxOptions windowsOptions?*:WindowsSecurityContextOptions runAsUser?*:int64
  runAsGroup?*:int64 runAsNonRoot?*:bool supplementalGroups?:[int64] fsGroup?*:int64 sysctls?:[Sysctl]
  fsGroupChangePolicy?*:PodFSGroupChangePolicy seccompProfile?*:SeccompProfile appArmorProfile?*:AppArmorProfile
Sysctl name:string value:string
Affinity nodeAffinity?*:NodeAffinity podAffinity?*:PodAffinity podAntiAffinity?*:PodAntiAffinity
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution?*:NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution?:[PreferredSchedulingTerm]
NodeSelector nodeSelectorTerms:[NodeSelectorTerm]
NodeSelectorTerm matchExpressions?:[NodeSelectorRequirement] matchFields?:[NodeSelectorRequirement]
NodeSelectorRequirement key:string operator:NodeSelectorOperator values?:[string]
PreferredSchedulingTerm weight:int32 preference:NodeSelectorTerm
PodAffinity requiredDuringSchedulingIgnoredDuringExecution?:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution?:[WeightedPodAffinityTerm]
PodAffinityTerm labelSelector?*:LabelSelector namespaces?:[string] topologyKey:string
  namespaceSelector?*:LabelSelector matchLabelKeys?:[string] mismatchLabelKeys?:[string]
WeightedPodAffinityTerm weight:int32 podAffinityTerm:PodAffinityTerm
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution?:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution?:[WeightedPodAffinityTerm]
Toleration key?:string operator?:TolerationOperator value?:string effect?:TaintEffect tolerationSeconds?*:int64
HostAlias ip:string hostnames?:[string]
PodDNSConfig nameservers?:[string] searches?:[string] options?:[PodDNSConfigOption]
PodDNSConfigOption name?:string value?*:string
PodReadinessGate conditionType:PodConditionType
TopologySpreadConstraint maxSkew:int32 topologyKey:string whenUnsatisfiable:UnsatisfiableConstraintAction
  labelSelector?*:LabelSelector minDomains?*:int32 nodeAffinityPolicy?*:NodeInclusionPolicy
  nodeTaintsPolicy?*:NodeInclusionPolicy matchLabelKeys?:[string]
PodOS name:OSName
PodSchedulingGate name:string
PodResourceClaim name:string source:ClaimSource
ClaimSource resourceClaimName?*:string resourceClaimTemplateName?*:string
Pod metadata:ObjectMeta spec:PodSpec status:PodStatus
PodStatus phase?:PodPhase conditions?:[PodCondition]@type message?:string reason?:string nominatedNodeName?:string
  hostIP?:string hostIPs?:[HostIP]@ip podIP?:string podIPs?:[PodIP]@ip startTime?*:Time
  initContainerStatuses?:[ContainerStatus] containerStatuses?:[ContainerStatus] qosClass?:PodQOSClass
  ephemeralContainerStatuses?:[ContainerStatus] resize?:PodResizeStatus
  resourceClaimStatuses?:[PodResourceClaimStatus]@name~
PodCondition type:PodConditionType status:ConditionStatus lastProbeTime:Time lastTransitionTime:Time reason?:string
  message?:string
HostIP ip?:string
PodIP ip?:string
ContainerStatus name:string state:ContainerState lastState:ContainerState ready:bool restartCount:int32 image:string
  imageID:string containerID?:string started?*:bool allocatedResources?:ResourceList
  resources?*:ResourceRequirements volumeMounts?:[VolumeMountStatus]@mountPath
ContainerState waiting?*:ContainerStateWaiting running?*:ContainerStateRunning terminated?*:ContainerStateTerminated
ContainerStateWaiting reason?:string message?:string
ContainerStateRunning startedAt:Time
ContainerStateTerminated exitCode:int32 signal?:int32 reason?:string message?:string startedAt:Time finishedAt:Time
  containerID?:string
VolumeMountStatus name:string mountPath:string readOnly?:bool recursiveReadOnly?*:RecursiveReadOnlyMode
PodResourceClaimStatus name:string resourceClaimName?*:string
`;
